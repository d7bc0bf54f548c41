public import TillCore

/// The reason that the settings cannot be used. Nothing was opened, and no payment was requested.
public enum SettingsError: ExplainedError, Hashable {
    /// The settings file cannot be read, or is no JSON object.
    case file(String, reason: String)
    /// The settings file has an unknown key.
    case unknownKey(String, file: String, known: [String])
    /// A value is invalid. `place` is an option, a variable or a key with its file.
    case wrongValue(place: String, reason: String)
    /// The settings file contains a secret.
    case secretInFile(String, file: String, variable: String, fileKey: String?)
    /// A file that users other than the caller and root may have written, or a secret's file that they can read.
    case untrusted(UntrustedFile)
    /// The settings file has a setting reserved for the command line and the environment.
    case operatorOnly(place: String, variable: String)

    public var code: String {
        switch self {
        case .file: "settings_file_unreadable"
        case .unknownKey: "unknown_setting"
        case .wrongValue: "invalid_setting"
        case .secretInFile: "secret_in_settings_file"
        case .untrusted(let file): file.code
        case .operatorOnly: "invalid_setting"
        }
    }

    public var what: String {
        switch self {
        case .file(let path, let reason): "The settings file \(path) cannot be used: \(reason)."
        case .unknownKey(let key, let file, _): "The settings file \(file) has “\(key)”, which is no setting."
        case .wrongValue(let place, let reason): "\(place) \(reason)."
        case .secretInFile(let key, let file, _, _): "The settings file \(file) has the secret “\(key)”."
        case .untrusted(let file): file.what
        case .operatorOnly(let place, _): "\(place) cannot be set by a file."
        }
    }

    /// No payment was requested.
    public var moneyMoved: MoneyMoved { .no }

    /// The recommended action.
    public var next: String {
        switch self {
        case .file: "Correct it, or name another with --config."
        case .unknownKey(let key, _, let known):
            SettingsError.nearest(to: key, among: known).map { "Did you mean “\($0)”?" }
                ?? "`till doctor` lists every setting."
        case .wrongValue: "Correct it; `till doctor` says where each setting comes from."
        case .secretInFile(_, _, let variable, let fileKey):
            "Take it out, and set \(variable)" + (fileKey.map { ", or name a file that holds it with “\($0)”." } ?? ".")
        case .untrusted(let file): file.next
        case .operatorOnly(_, let variable): "Take it out, and set \(variable) where the program is started."
        }
    }

    /// Returns the known key with the smallest edit distance, if that is small.
    static func nearest(to key: String, among known: [String]) -> String? {
        let nearest = known.map { (key: $0, distance: distance(Array(key.utf8), Array($0.utf8))) }
            .min { $0.distance < $1.distance }
        return nearest.flatMap { $0.distance <= 3 ? $0.key : nil }
    }

    /// Returns the edit distance of two words, each truncated to 64 bytes.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let (left, right) = (left.prefix(64), right.prefix(64))
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = index
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (letter == other ? 0 : 1))
                diagonal = above
            }
        }
        return row.last ?? 0
    }
}
