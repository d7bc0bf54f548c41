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

    /// The options with a text.
    private static let texts: [String] = [
        "journal", "account", "config", "provider", "provider-hosts", "sandbox-latency", "provider-setting", "host",
        "port", "api-key", "apple-pay", "apple-pay-origin", "apple-pay-root", "copy-to", "public-listen",
        "trusted-proxies", "tls-certificate", "tls-key", "store", "address", "tax-id", "phone", "store-ids",
        "merchant-id", "terminal-id", "country", "closing", "locale", "time-zone", "receipt-url",
    ]
    private static let others: [[String]] = [["--apple-pay-stand-in", "9443"], ["--json"], ["--allow-plain-http"]]
    /// Every option of the command, without the help.
    private static let options: [[String]] = texts.map { ["--\($0)", "a=b c"] } + others
    private static let lines: [[String]] = options + [Array(options.joined())]

    @Test("are read without the parser as by it, each alone and all together", arguments: lines)
    func plain(_ arguments: [String]) throws {
        let joined = arguments.count == 2 ? ["\(arguments[0])=\(arguments[1])"] : arguments
        for line in [arguments, joined] {
            let plain = try #require(Serve(plain: line))
            let parsed = try Serve.parseAsRoot(line)
            #expect("\(plain)" == "\(parsed)")
        }
    }

    @Test("are all read without the parser")
    func whole() {
        let help = Serve.helpMessage(includeHidden: true)
        let named = Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
        let known = Set(Self.options.compactMap(\.first))
        #expect(known.subtracting(["--provider-setting"]).isSubset(of: named))
        // Those of the parser itself.
        #expect(named.subtracting(known).isSubset(of: ["--help", "--version", "--help-hidden"]))
    }

    @Test(
        "are left to the parser where it alone can read them, or refuse them",
        arguments: [
            ["--port"], ["--port", "-1"], ["--port="], ["--port", ""], ["--port", "0", "--port", "1"], ["here"], ["--"],
            ["--help"], ["-h"], ["--unheard-of", "x"], ["--json=yes"], ["--json", "--json"],
            ["--apple-pay-stand-in", "x"], ["--apple-pay-stand-in", "70000"], ["--host", "--json"],
        ])
    func left(_ arguments: [String]) { #expect(Serve(plain: arguments) == nil) }

    @Test("are those that were given")
    func values() throws {
        let serve = try #require(try Till.parsed(["serve", "--port", "0", "--json", "--store", "Tea"]) as? Serve)
        #expect(serve.port == "0" && serve.common.json && serve.store.store == "Tea" && serve.host == nil)
    }

    private static let startingNothing: [[String]] = [
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

    @Test("that start no counter are answered as ever", arguments: startingNothing)
    func asEver(_ line: [String]) {
        let parsed = outcome { try Till.parsed(line) }
        let amongAll = outcome { try Till.parseAsRoot(line) }
        #expect(parsed == amongAll)
    }
}
