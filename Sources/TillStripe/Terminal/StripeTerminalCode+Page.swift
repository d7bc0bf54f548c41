internal import TillHardware

extension StripeTerminalCode {
    /// Stripe's section of the documentation page about errors, after `CardReaderErrorPage`.
    public static var markdown: String {
        var lines = [
            "", "## Numbers of Stripe's Terminal kit \(sdkVersion)", "",
            "A number that is not here becomes `terminal_sdk_` and the number; its outcome is open.", "",
            "| number | name in the kit | reason |", "|---|---|---|",
        ]
        for code in sdk { lines.append("| \(code.number) | \(code.name) | `\(code.underlyingError.rawValue)` |") }
        lines += [
            "", "## Words of Stripe's interface", "",
            "A word that is not here becomes itself; its outcome is open.", "", "| code | reason |", "|---|---|",
        ]
        for code in api { lines.append("| `\(code.code)` | `\(code.underlyingError.rawValue)` |") }
        return lines.joined(separator: "\n") + "\n"
    }
}
