import Configuration
public import Foundation
import Synchronization
public import TillCore
public import TillProvider

/// The effective settings, each with its origin.
///
/// The command line precedes the environment (`TILL_…`), the environment the settings file, and the file the default.
/// The file is the one named by `--config` or `TILL_CONFIG`, or else `till.json` in the current folder if it exists.
public struct Settings: SettingValues {
    /// The variable that names the settings file.
    public static let fileVariable = "TILL_CONFIG"
    /// The maximum size of a secret's file, in bytes.
    public static let maximumSecretBytes = 4_096

    /// The origin of a value.
    public enum Origin: Hashable, Sendable {
        /// An option of the command line.
        case commandLine
        /// An environment variable.
        case environment
        case file
        /// A file that holds only this secret.
        case secretFile(String)
        case defaultValue
    }

    /// A setting for display. A secret shows only that it is set.
    public struct Entry: Hashable, Sendable {
        public var setting: Setting
        /// The value; masked for a secret, `nil` if there is none.
        public var shown: String?
        /// The origin of the value.
        public var origin: Origin
        /// A description of the origin.
        public var place: String

        package init(setting: Setting, shown: String? = nil, origin: Origin, place: String) {
            (self.setting, self.shown, self.origin, self.place) = (setting, shown, origin, place)
        }
    }

    /// The settings file that was read.
    public let file: String?
    private let table: [Setting]
    private let values: [String: (text: String, origin: Origin)]

    /// Resolves and checks every setting.
    /// - Parameters:
    ///   - modules: the providers with settings beyond the counter's own.
    ///   - commandLine: the values of options, by `Setting.key`.
    ///   - file: the file named by an option.
    /// - Throws: ``SettingsError`` for an invalid value, from any origin.
    public init(
        of modules: [any ProviderModule.Type] = [], commandLine: [String: String] = [:], file: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SettingsError) {
        let table = Setting.all(modules)
        // An empty variable counts as unset: shells and containers clear a value that way.
        let variables = environment.filter { $0.key.hasPrefix("TILL_") && !$0.value.isEmpty }
        let named = file ?? variables[Settings.fileVariable]
        let path =
            named ?? (FileManager.default.fileExists(atPath: SettingsFile.defaultPath) ? SettingsFile.defaultPath : nil)
        let read: SettingsFile?
        if let path { read = try SettingsFile(path, table) } else { read = nil }
        self.file = path
        let origins = Origins()
        let reader = ConfigReader(
            providers: [
                Settings.provider("command line", commandLine, table),
                EnvironmentVariablesProvider(environmentVariables: variables),
                Settings.provider("file", read?.values ?? [:], table),
            ], accessReporter: origins)
        var values: [String: (text: String, origin: Origin)] = [:]
        var given: Set<String> = []
        for key in commandLine.keys { given.insert(Settings.name(of: key)) }
        for key in (read?.values ?? [:]).keys { given.insert(Settings.name(of: key)) }
        for setting in table where Settings.mayBeSet(setting, given, variables) {
            let key = ConfigKey(["till"] + setting.key.split(separator: ".").map(String.init))
            guard let text = reader.string(forKey: key, isSecret: setting.kind == .secret) else { continue }
            let origin = origins.last ?? .defaultValue
            try setting.check(text, at: Settings.place(setting, origin, path))
            values[setting.key] = (text, origin)
        }
        try Settings.readSecrets(of: table, into: &values, path)
        self.table = table
        self.values = values
    }

    /// Returns `false` for a setting that no source has, as most of them at every start: the reader would make its
    /// names anew and ask each source for it.
    /// - Parameter given: The names of what the command line and the file have.
    private static func mayBeSet(_ setting: Setting, _ given: Set<String>, _ variables: [String: String]) -> Bool {
        if given.contains(name(of: setting.key)) { return true }
        // Of such a key the reader makes the variable's name as the setting does.
        let isPlain = setting.key.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
                }
        }
        return !isPlain || variables[setting.variable] != nil
    }

    /// The key as the reader compares it: its components, without empty ones.
    private static func name(of key: String) -> String { key.split(separator: ".").joined(separator: ".") }

    private static func provider(
        _ name: String, _ values: [String: String], _ table: [Setting]
    ) -> InMemoryProvider {
        var content: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, value) in values {
            let isSecret = table.first { $0.key == key }?.kind == .secret
            content[AbsoluteConfigKey(["till"] + key.split(separator: ".").map(String.init))] = ConfigValue(
                .string(value), isSecret: isSecret)
        }
        return InMemoryProvider(name: name, values: content)
    }

    /// Reads the files of secrets that neither an option nor a variable sets.
    private static func readSecrets(
        of table: [Setting], into values: inout [String: (text: String, origin: Origin)], _ path: String?
    ) throws(SettingsError) {
        for setting in table where setting.kind == .secret && values[setting.key] == nil {
            guard let source = table.first(where: { $0.key == setting.key + "_file" }),
                let named = values[source.key]
            else { continue }
            let place = place(source, named.origin, path)
            let data: [UInt8]
            do throws(UntrustedFile) {
                data = try TrustedFile.read(
                    named.text, "file with “\(setting.key)”", limit: maximumSecretBytes, content: .secret)
            } catch {
                guard !error.isDistrusted else { throw .untrusted(error) }
                throw .wrongValue(place: place, reason: "names \(named.text), and \(error.why)")
            }
            let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !text.isEmpty else {
                throw .wrongValue(
                    place: place,
                    reason: "names \(named.text), which must hold 1 to \(maximumSecretBytes) bytes of text")
            }
            let secret = text.replacing("\r\n", with: "\n").replacing("\n", with: ",")
            try setting.check(secret, at: "\(named.text)")
            values[setting.key] = (secret, .secretFile(named.text))
        }
    }

    // MARK: Values

    /// Returns the text of a setting other than a secret; `nil` if it is not set.
    public func text(_ setting: Setting) -> String? {
        setting.kind == .secret ? nil : values[setting.key]?.text
    }

    /// Returns a setting as a number.
    public func number(_ setting: Setting) -> Int? { text(setting).flatMap { Int($0) } }

    /// Returns a setting as a time span.
    public func span(_ setting: Setting) -> Span? { text(setting).flatMap { Setting.span(parsing: $0) } }

    public func secret(_ setting: Setting) -> Secret<String>? {
        setting.kind == .secret ? (values[setting.key]?.text).map { Secret($0) } : nil
    }

    /// Every setting, for display.
    public var entries: [Entry] {
        table.map { setting in
            guard let value = values[setting.key] else {
                return Entry(setting: setting, shown: setting.defaultValue, origin: .defaultValue, place: "default")
            }
            return Entry(
                setting: setting, shown: setting.kind == .secret ? "••••" : value.text, origin: value.origin,
                place: Settings.place(setting, value.origin, file))
        }
    }

    private static func place(_ setting: Setting, _ origin: Origin, _ file: String?) -> String {
        switch origin {
        case .commandLine: setting.option ?? "the command line"
        case .environment: setting.variable
        case .file: "“\(setting.key)” in \(file ?? SettingsFile.defaultPath)"
        case .secretFile(let path): path
        case .defaultValue: "default"
        }
    }
}

/// The origin of the value read last, as reported by the reader.
private final class Origins: AccessReporter {
    private let found = Mutex<Settings.Origin?>(nil)

    var last: Settings.Origin? { found.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let place = event.providerResults.firstIndex { provider in
            if case .success(let result) = provider.result { return result.value != nil }
            return false
        }
        let origins: [Settings.Origin] = [.commandLine, .environment, .file]
        let origin = place.flatMap { origins.indices.contains($0) ? origins[$0] : nil }
        found.withLock { $0 = origin }
    }
}

extension Setting {
    /// Rejects a value that is invalid for the setting's kind. Never shows the value of a secret.
    package func check(_ text: String, at place: String) throws(SettingsError) {
        func refuse(_ reason: String) -> SettingsError { .wrongValue(place: place, reason: reason) }
        guard !text.isEmpty else { throw refuse("is empty") }
        guard text.utf8.count <= Settings.maximumSecretBytes,
            !text.unicodeScalars.contains(where: {
                ($0.value < 0x20 || $0.value == 0x7F) && (kind != .lines || $0 != "\n")
            })
        else { throw refuse("must be one line of at most \(Settings.maximumSecretBytes) bytes") }
        if let fault = kind.fault(of: text) { throw refuse(fault) }
    }

    /// Parses a time such as `50ms`, `30s` or `2min`; at most a day.
    package static func span(parsing text: String) -> Span? {
        let units: [(suffix: String, milliseconds: Int64)] = [("ms", 1), ("min", 60_000), ("s", 1_000)]
        for unit in units where text.hasSuffix(unit.suffix) {
            let digits = text.dropLast(unit.suffix.count)
            guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let count = Int64(digits)
            else { return nil }
            let milliseconds = count * unit.milliseconds
            return milliseconds <= Span.days(1).milliseconds ? .milliseconds(milliseconds) : nil
        }
        return nil
    }
}
