public import TillCore

/// A statement format and the provider that issues it.
public struct StatementForm: Sendable {
    public let provider: ProviderName
    public let format: any StatementFormat

    public init(_ provider: ProviderName, _ format: any StatementFormat) {
        (self.provider, self.format) = (provider, format)
    }
}
