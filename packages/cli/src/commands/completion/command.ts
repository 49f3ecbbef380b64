import { Argument, type Command } from "commander";
import { action } from "../action.ts";

/** Adds the command that prints a script for a shell, and the one that the script calls at each TAB. */
export function addCompletion(program: Command): void {
  program
    .command("completion")
    .summary("print a shell completion script")
    .description("Print a script that completes commands, flags, ids and models in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .addHelpText("after", HELP)
    .action(action(() => import("./print-script.ts"), "printScript"));
  program
    .command("complete", { hidden: true })
    .description("Print the possible values of the last word.")
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { complete } = await import("./complete.ts");
      await complete(program, words);
    });
}

const HELP = `
To turn it on, add the line to the file that your shell reads at its start:
  ~/.bashrc                    source <(berth completion bash)
  ~/.zshrc                     source <(berth completion zsh)
  ~/.config/fish/config.fish   berth completion fish | source

It also completes bin/berth and npx berth. Ids and models come from the service; without it, they are not completed.`;
