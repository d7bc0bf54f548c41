import ArgumentParser
import Testing
import TillProvider

@testable import TillCommandLine

@Suite("Options of providers") struct ProviderArgumentsTests {
    private func rewritten(_ arguments: String...) throws -> [String] {
        try ProviderArguments.rewritten(arguments, for: ProviderModules.all)
    }

    @Test("both ways to write one carry its setting, and everything else stays where it is")
    func carried() throws {
        #expect(
            try rewritten("sale", "--stripe-url", "http://127.0.0.1:1", "--amount", "1", "--paypal-secret=a=b")
                == [
                    "sale", "--provider-setting=stripe.url=http://127.0.0.1:1", "--amount", "1",
                    "--provider-setting=paypal.secret=a=b",
                ])
        #expect(try rewritten("sale", "--", "--stripe-url", "x") == ["sale", "--", "--stripe-url", "x"])
        #expect(
            ProviderArguments.values(["stripe.url=http://x", "paypal.secret=a=b"])
                == ["stripe.url": "http://x", "paypal.secret": "a=b"])
    }

    @Test("one without its value is refused by its own name")
    func missing() {
        #expect(throws: (any Error).self) { try rewritten("sale", "--stripe-url") }
        #expect(throws: (any Error).self) { try rewritten("sale", "--terminal", "--json") }
    }

    @Test("a command that asks no provider refuses it by the name that was typed")
    func unknown() throws {
        let arguments = ["failpoints", "--stripe-url", "x"]
        do {
            _ = try Till.parseAsRoot(try ProviderArguments.rewritten(arguments, for: ProviderModules.all))
            Issue.record("it was taken")
        } catch {
            let explained = ProviderArguments.explained(error, message: Till.message(for: error), arguments)
            #expect(Till.message(for: explained).contains("--stripe-url"))
        }
    }

    @Test("no two providers have the same option, and none that a command has")
    func distinct() {
        let options = ProviderModules.all.flatMap { $0.settings }.compactMap(\.option)
        #expect(Set(options).count == options.count)
    }
}
