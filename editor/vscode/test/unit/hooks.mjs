// Lets the sources run outside of the editor: "vscode" is the stand-in beside this file, and imports need no ending.
import { registerHooks } from "node:module";

const standIn = new URL("vscode.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "vscode") return { url: standIn, format: "module-typescript", shortCircuit: true };
    const own = specifier.startsWith("./") && context.parentURL?.includes("/src/");
    return next(own && !/\.c?[jt]s$/.test(specifier) ? `${specifier}.ts` : specifier, context);
  },
});
