public import TillCore
public import TillStatements

/// A statement file as uploaded: unparsed bytes, and the metadata supplied with them.
public struct StatementFile: Sendable {
    /// The display name, such as the path.
    public var name: String
    public var bytes: [UInt8]
    /// The provider; `nil` to detect it.
    public var provider: ProviderName?
    /// The format, by `StatementFormat.name`; `nil` to detect it.
    public var format: String?
    /// The provider's identifier of the shop's account; `nil`: the one in which the journal has payments.
    public var providerAccount: String?

    public init(
        _ name: String, _ bytes: [UInt8], provider: ProviderName? = nil, format: String? = nil,
        providerAccount: String? = nil
    ) {
        (self.name, self.bytes) = (name, bytes)
        (self.provider, self.format, self.providerAccount) = (provider, format, providerAccount)
    }

    /// Parses the whole file or fails; imports nothing.
    /// - Parameters:
    ///   - forms: the candidate formats; the first that fits is used.
    ///   - limit: the maximum number of lines, up to `StatementLimits.maximumLines`.
    public func read(
        _ forms: [StatementForm], maximumLines limit: Int = StatementLimits.maximumLines
    ) throws(StatementRefusal) -> Reconciliation.Statement {
        let bytes = StatementEncoding.utf8(bytes)
        let fitting = forms.first { form in
            (provider ?? form.provider) == form.provider
                && (format.map { $0 == form.format.name } ?? form.format.recognizes(bytes))
        }
        guard let form = fitting else { throw .unknownForm(name) }
        do throws(StatementError) {
            let lines = try form.format.lines(of: bytes)
            guard lines.count <= limit else { throw StatementLimits.tooManyLines(limit) }
            return Reconciliation.Statement(
                provider: form.provider, providerAccount: providerAccount, lines: lines, lag: form.format.lag)
        } catch { throw .unreadable(name, format: form.format.name, error) }
    }

    /// Assigns the statement to an account. Few files name theirs: it defaults to the one in which the journal has
    /// payments.
    /// - Parameter accounts: those of its provider; see ``Reconciliation/accounts(of:)``.
    public func owned(
        _ statement: Reconciliation.Statement, by accounts: [String]
    ) throws(StatementRefusal) -> Reconciliation.Statement {
        guard providerAccount == nil else { return statement }
        guard accounts.count <= 1 else { throw .severalAccounts(name, statement.provider, accounts) }
        var owned = statement
        owned.providerAccount = accounts.first
        return owned
    }
}

/// The reason a statement file was not imported.
public enum StatementRefusal: ExplainedError, Hashable {
    /// The format is not recognized.
    case unknownForm(String)
    /// The file violates its format; the error names the line.
    case unreadable(String, format: String, StatementError)
    /// The journal has payments in several accounts of the provider, and the file does not name one.
    case severalAccounts(String, ProviderName, [String])

    public var code: String {
        switch self {
        case .unknownForm: "unknown_statement"
        case .unreadable(_, _, let error): error.code
        case .severalAccounts: "several_accounts"
        }
    }

    public var what: String {
        switch self {
        case .unknownForm(let name): "\(name) is no statement that is known here. Nothing was imported."
        case .unreadable(let name, let format, let error):
            "\(name) cannot be read as \(format): \(error.reason)\(error.reason.hasSuffix(".") ? "" : ".") Nothing was "
                + "imported or posted."
        case .severalAccounts(let name, let provider, let accounts):
            "The journal has payments in several accounts at \(provider) (\(accounts.joined(separator: ", "))), and "
                + "\(name) does not say whose it is. Nothing was imported."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .unknownForm: "Say what it is: --format and --provider, or format and provider over HTTP."
        case .unreadable(_, _, let error): error.next
        case .severalAccounts: "Say it: --provider-account, or provider_account over HTTP."
        }
    }
}
