import TillCore

extension Promise {
    static let identified = Promise("it says whose account it is: by name, the same each time, without its key") {
        make in
        let world = try await make()
        var findings = Findings()
        let first = await world.provider.identity()
        findings.expect(first.account?.isEmpty == false, "the account has no name: \(first)")
        let again = await world.provider.identity()
        findings.expect(first == again, "first \(first), then \(again)")
        var text = ""
        dump(first, to: &text)
        for secret in world.secrets {
            findings.expect(!text.contains(secret), "…\(secret.suffix(3)) stands in it")
            findings.expect(first.keyFingerprint.map { !secret.contains($0) } ?? true, "a part of …\(secret.suffix(3))")
        }
        return findings.all
    }
}
