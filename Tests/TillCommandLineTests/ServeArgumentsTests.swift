import ArgumentParser
import Testing

@testable import TillCommandLine

@Suite("The arguments of a counter")
struct ServeArgumentsTests {
    private static let counters: [[String]] = [
        [], ["--port", "0"], ["--port=0", "--host", "::1", "--json"],
        ["--journal", "x.sqlite", "--config", "till.json", "--account", "shop", "--provider", "sandbox"],
        ["--apple-pay-origin", "http://localhost:3000", "--apple-pay-origin", "http://localhost:3001"],
        ["--apple-pay", "settings.json", "--apple-pay-stand-in", "9443", "--apple-pay-root", "root.pem"],
        ["--provider-setting=stripe.url=http://127.0.0.1:1", "--provider-setting=paypal.secret=-a=b"],
        ["--allow-plain-http", "--tls-key", "k.pem", "--store", "Tea & more", "--copy-to", "/c"],
        ["--host", "serve", "--store", "help"],
    ]

    @Test("are parsed by themselves as among those of all commands", arguments: counters)
    func same(_ arguments: [String]) throws {
        let line = ["serve"] + arguments
        let (alone, among) = (try Till.parsed(line), try Till.parseAsRoot(line))
        #expect(alone is Serve && among is Serve)
        #expect("\(alone)" == "\(among)")
    }

    @Test("are those that were given")
    func values() throws {
        let serve = try #require(try Till.parsed(["serve", "--port", "0", "--json", "--store", "Tea"]) as? Serve)
        #expect(serve.port == "0" && serve.common.json && serve.store.store == "Tea" && serve.host == nil)
    }

    private static let others: [[String]] = [
        ["serve", "--help"], ["serve", "-h"], ["serve", "--port", "0", "--help"], ["serve", "--help-hidden"],
        ["serve", "--version"], ["serve", "--port"], ["serve", "--unheard-of"], ["serve", "here"], ["serve", "serve"],
        ["serve", "help"], ["serve", "--"], ["serve", "--", "x"], ["help", "serve"], ["--version"],
        ["--json", "serve"], [], ["serv"],
    ]

    /// The command that was found, or how the command line ends without one.
    private func outcome(_ parse: () throws -> any ParsableCommand) -> String {
        do {
            var command = try parse()
            guard !(command is any AsyncParsableCommand) else { return "\(command)" }
            try command.run()
            return "\(command)"
        } catch {
            return "\(Till.exitCode(for: error).rawValue): \(Till.fullMessage(for: error))"
        }
    }

    @Test("that start no counter are answered as ever", arguments: others)
    func asEver(_ line: [String]) {
        let parsed = outcome { try Till.parsed(line) }
        let amongAll = outcome { try Till.parseAsRoot(line) }
        #expect(parsed == amongAll)
    }
}
