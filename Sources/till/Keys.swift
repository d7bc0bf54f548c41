import ArgumentParser
import Crypto
import TillCore
import TillJournal
import TillServer

/// `till keys …`: makes, lists and revokes the keys of programs.
struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Makes API keys for accounts.", subcommands: [Create.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Makes a key for the account and prints it, once; the journal keeps only its hash.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: "What the key is for.") var label = "command line"

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
                let digits = Array("0123456789abcdef".utf8)
                let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
                let key = "till_" + String(decoding: hex, as: UTF8.self)
                try await APIKeys(counter.journal, clock: counter.clock).add(
                    hash: Array(SHA256.hash(data: Array(key.utf8))), account: counter.options.account, label: label)
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("account", counter.options.account.rawValue)
                writer.field("key", key)
                writer.endObject()
                Output.line(common.json ? writer.text : key)
            }
        }
    }
}
