import ArgumentParser
import TillCore

/// `till completion`: prints the script with which a shell completes commands and options.
struct Completion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints the script with which a shell completes commands and options.",
        discussion: """
            bash  till completion bash > ~/.local/share/bash-completion/completions/till
            zsh   till completion zsh > FOLDER/_till, with FOLDER in fpath
            fish  till completion fish > ~/.config/fish/completions/till.fish

            No journal and no network is needed.
            """)
    @Argument(help: "bash, zsh or fish.") var shell: String
    @Flag(name: .long, help: "Print one JSON object and nothing else.") var json = false

    func run() throws {
        guard let known = CompletionShell(rawValue: shell) else {
            throw Output.fail(
                CommandError(
                    code: "unknown_shell", what: "There is no completion for the shell \(shell.prefix(40)).",
                    next: "Give bash, zsh or fish."), json: json, code: ExitCode.validationFailure.rawValue)
        }
        let script = Till.completionScript(for: known)
        guard json else { return Output.bytes(Array(script.utf8)) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("shell", shell)
        writer.field("script", script)
        writer.endObject()
        Output.line(writer.text)
    }
}
