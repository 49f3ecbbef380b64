import { printError } from "../../shared/failure.ts";
import { ci } from "./ci.ts";

process.exitCode = await ci().catch(printError);
