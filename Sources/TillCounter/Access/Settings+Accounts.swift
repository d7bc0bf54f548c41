public import TillCore
public import TillProvider

extension Settings {
    /// The maximum number of accounts in one setting.
    static let maximumAccounts = 64

    /// Returns the comma-separated accounts of a setting.
    /// - Throws: `SettingsError` for an invalid account, and for too many.
    public func accounts(_ setting: Setting) throws(SettingsError) -> Set<AccountID> {
        var found: Set<AccountID> = []
        for word in (text(setting) ?? "").split(separator: ",") {
            guard let account = AccountID(ifValid: word.filter { $0 != " " }), found.count < Settings.maximumAccounts
            else {
                throw .wrongValue(
                    place: entries.first { $0.setting == setting }?.place ?? setting.key,
                    reason: "must be at most \(Settings.maximumAccounts) names of accounts with commas between")
            }
            found.insert(account)
        }
        return found
    }
}
