import ArgumentParser
import TillProvider

/// The provider options of the command line. They come from the modules' settings rather than the commands: before
/// parsing, each is rewritten to the one option that every command with providers accepts.
enum ProviderArguments {
    /// The carrier option: `--provider-setting stripe.url=…`.
    static let carrier = "provider-setting"

    /// Returns the arguments with every provider option rewritten; those after `--` are unchanged.
    /// - Throws: `ValidationError` for an option without its value.
    static func rewritten(
        _ arguments: [String], for modules: [any ProviderModule.Type]
    ) throws(ValidationError) -> [String] {
        var keys: [String: String] = [:]
        for setting in modules.flatMap({ $0.settings }) {
            if let option = setting.option { keys[option] = setting.key }
        }
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument != "--" else { return result + [argument] + rest }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = parts.first.map(String.init), let key = keys[option] else {
                result.append(argument)
                continue
            }
            if parts.count == 2 {
                result.append("--\(carrier)=\(key)=\(parts[1])")
            } else if let value = rest.first, !value.hasPrefix("-") {
                result.append("--\(carrier)=\(key)=\(value)")
                rest.removeFirst()
            } else {
                throw ValidationError("Missing value for '\(option)'")
            }
        }
        return result
    }

    /// Returns values by the keys of their settings.
    static func values(_ carried: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for text in carried {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        return values
    }

    /// Returns the error, or, for a command without providers, one that names the option as typed.
    static func explained(_ error: any Error, message: String, _ arguments: [String]) -> any Error {
        guard message.contains("--\(carrier)") else { return error }
        let options = ProviderModules.all.flatMap { $0.settings }.compactMap(\.option)
        let typed = arguments.first { argument in options.contains { argument == $0 || argument.hasPrefix($0 + "=") } }
        return ValidationError("Unknown option '\(typed?.prefix { $0 != "=" } ?? "--\(carrier)")'")
    }
}
