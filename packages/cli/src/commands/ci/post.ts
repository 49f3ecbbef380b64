import { printError } from "../../shared/failure.ts";
import { afterStep } from "./ci.ts";

process.exitCode = await afterStep().catch(printError);
