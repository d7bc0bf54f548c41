internal import Foundation
public import TillCore

/// Read-only access to the current settings. All values were validated against their kinds.
public protocol SettingValues: Sendable {
    /// Returns the text of a non-secret setting; `nil` if not set.
    func text(_ setting: Setting) -> String?
    /// Returns the value of a secret; `nil` if not set.
    func secret(_ setting: Setting) -> Secret<String>?
    /// Returns the value of a number setting.
    func number(_ setting: Setting) -> Int?
    /// Returns the value of a duration setting.
    func span(_ setting: Setting) -> Span?
}

extension SettingValues {
    /// Maximum number of secrets per setting: the current one and, during rotation, the next.
    public static var maximumSecrets: Int { 2 }

    /// Returns the secrets of a setting that may hold two, separated by a comma.
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
