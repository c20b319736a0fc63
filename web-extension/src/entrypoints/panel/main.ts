import { main } from "../../panel/main";

void main();
