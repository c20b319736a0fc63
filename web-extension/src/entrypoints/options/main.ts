import { main } from "../../options/main";

void main();
