/** Inputs bound by Vue: as one types, when the field is left, and a checkbox. */
import { createApp, reactive } from "vue/dist/vue.esm-bundler.js";

const state = reactive({ name: "lb1", lazy: "slow", on: false });
createApp({
  setup: () => ({ state }),
  template: `
    <label>Name <input v-model="state.name"></label>
    <label>Lazy <input v-model.lazy="state.lazy"></label>
    <label><input type="checkbox" v-model="state.on"> Enabled</label>
    <p id="state">{{ JSON.stringify(state) }}</p>`,
}).mount("#root");
