internal import Foundation
public import TillCore

/// The settings that hold now, read only. The values were checked against their settings' kinds before.
public protocol SettingValues: Sendable {
    /// The text of a setting that is no secret; `nil` if nobody set it.
    func text(_ setting: Setting) -> String?
    /// The value of a secret; `nil` if nobody set it.
    func secret(_ setting: Setting) -> Secret<String>?
    /// The number of a setting of that kind.
    func number(_ setting: Setting) -> Int?
    /// The time of a setting of that kind.
    func span(_ setting: Setting) -> Span?
}

extension SettingValues {
    /// The most secrets of one setting: the one in use and, while it is replaced, the next.
    public static var maximumSecrets: Int { 2 }

    /// The secrets of a setting that may hold two with a comma between.
    public func secrets(_ setting: Setting) -> [Secret<String>] {
        (secret(setting)?.reveal() ?? "").split(separator: ",").prefix(Self.maximumSecrets)
            .map { Secret($0.trimmingCharacters(in: .whitespaces)) }
    }
}

public struct NoSettings: SettingValues {
    public init() {}
    public func text(_ setting: Setting) -> String? { nil }
    public func secret(_ setting: Setting) -> Secret<String>? { nil }
    public func number(_ setting: Setting) -> Int? { nil }
    public func span(_ setting: Setting) -> Span? { nil }
}
