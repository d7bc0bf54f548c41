public import TillStatements

extension StatementForm {
    /// Returns the formats of every given provider, in order.
    public static func all(of modules: [any ProviderModule.Type]) -> [StatementForm] {
        modules.flatMap { type in type.statementFormats.map { StatementForm(type.name, $0) } }
    }
}
