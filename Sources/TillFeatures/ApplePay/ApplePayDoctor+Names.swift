extension ApplePayDoctor {
    /// Examines the names that every browser compares with its lists before it opens a sheet.
    /// - Parameters:
    ///   - country: `nil` for a domain without its own.
    ///   - networks: empty for a domain without its own.
    func names(_ country: String?, _ networks: [String], of whom: String) -> [Finding] {
        var findings: [Finding] = []
        if let country, !ISOCountry.isCode(country) {
            findings.append(
                fault(
                    "country",
                    "\(whom) has the country \(country.prefix(32)), which is none of ISO 3166-1: no browser opens a "
                        + "sheet. Write two capital letters, such as GB."))
        }
        for network in networks where !ApplePayNetwork.names.contains(network) {
            let known = ApplePayNetwork.names.first { $0.lowercased() == network.lowercased() }
            let next =
                known.map { "Apple writes it \($0)." }
                ?? "A browser that does not know it opens no sheet: compare it with Apple's list."
            findings.append(
                warning("networks", "\(whom) has the network \(network.prefix(32)), which Apple does not list. \(next)")
            )
        }
        return findings
    }
}
