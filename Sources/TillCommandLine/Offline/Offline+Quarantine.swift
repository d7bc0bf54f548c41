import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillOffline

extension Offline {
    /// `till offline quarantine`: lists quarantined entries with their reasons, quarantines an entry or releases one.
    struct Quarantine: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "quarantine",
            abstract: "Shows what was put aside and why, puts a card aside, or takes one back.",
            discussion: """
                till offline quarantine                      lists
                till offline quarantine --release 17         to be forwarded again
                till offline quarantine --add 17 --reason "disputed at the counter"
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: ArgumentHelp("Takes this entry back.", valueName: "entry")) var release: UInt64?
        @Option(name: .long, help: ArgumentHelp("Puts this entry aside.", valueName: "entry")) var add: UInt64?
        @Option(name: .long, help: ArgumentHelp("Why it is put aside.", valueName: "text")) var reason: String?

        func validate() throws {
            guard release == nil || add == nil else { throw ValidationError("Give --release or --add, not both.") }
            guard add == nil || !(reason ?? "").isEmpty else { throw ValidationError("--add needs --reason.") }
            guard (reason ?? "").utf8.count <= 500 else { throw ValidationError("--reason has 500 bytes at most.") }
        }

        /// Returns the stored payment of an entry; `nil` once it is deleted.
        private static func record(_ number: UInt64, _ counter: Counter) async throws -> StoredRecord? {
            do throws(OfflineLogError) { return try await counter.offline.log().record(number).record } catch {
                guard case .notFound = error else { throw error }
                return nil
            }
        }

        func run() async throws {
            try await withCounter(common, provider) { counter in
                if let release { try await counter.offline.log().release(release) }
                if let add, let reason { try await counter.offline.log().setAside(add, reason: reason) }
                let metrics = try await counter.offline.metrics()
                if common.json {
                    var writer = JSONWriter()
                    writer.beginObject()
                    writer.key("quarantined")
                    writer.beginArray()
                    for aside in metrics.quarantined {
                        writer.beginObject()
                        writer.field("entry", Int64(clamping: aside.sequence))
                        writer.field("reason", aside.reason)
                        if let record = try await Quarantine.record(aside.sequence, counter) {
                            Offline.write(record, to: &writer)
                        }
                        writer.endObject()
                    }
                    writer.endArray()
                    writer.endObject()
                    Output.line(writer.text)
                    return
                }
                if metrics.quarantined.isEmpty { Output.line("Nothing is put aside.") }
                for aside in metrics.quarantined {
                    let record = try await Quarantine.record(aside.sequence, counter)
                    let what = record.map { "\($0.amount), order \($0.order), \($0.payment)" } ?? "deleted"
                    Output.line("Entry \(aside.sequence): \(what)")
                    Output.line(Output.wrapped("  \(aside.reason)", to: 80))
                }
            }
        }
    }

    /// `till offline export`: writes stored payments to a file.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Writes what is stored as JSON lines, cards sealed as they are.",
            discussion: """
                One JSON object a line: first the log, then each stored payment with its
                sealed card, its entry and its hash. Nobody but the provider can open the
                cards. With --json the same as one object.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(name: .long, help: ArgumentHelp("The file; standard output if not given.", valueName: "file"))
        var output: String?

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let log = try await counter.offline.log()
                let (header, book, mark) = (log.header, try log.book(), try log.mark())
                var lines: [String] = []
                for entry in book.pending {
                    let (record, hash) = try log.record(entry.sequence)
                    var writer = JSONWriter()
                    writer.beginObject()
                    writer.field("entry", Int64(clamping: entry.sequence))
                    writer.field("hash", Hex.lowercase(hash))
                    writer.field("state", "\(entry.state)")
                    writer.field("batch", book.batch(of: entry.sequence)?.content.id)
                    writer.field("put_aside", book.quarantine[entry.sequence])
                    Offline.write(record, to: &writer)
                    writer.field("readable", Data(record.readable).base64EncodedString())
                    writer.field("sealed", Data(record.sealed).base64EncodedString())
                    writer.endObject()
                    lines.append(writer.text)
                }
                var head = JSONWriter()
                head.beginObject()
                head.field("log", header.log)
                head.field("device", header.device)
                head.field("device_key", Hex.lowercase(header.deviceKey))
                head.field("provider", header.provider.issuer)
                head.field("last_entry", Int64(clamping: mark.sequence))
                head.field("last_hash", Hex.lowercase(mark.hash))
                head.field("payments", lines.count)
                if common.json {
                    head.key("entries")
                    head.beginArray()
                    for line in lines { head.raw(line) }
                    head.endArray()
                }
                head.endObject()
                let text = common.json ? head.text : ([head.text] + lines).joined(separator: "\n")
                guard let output else { return Output.line(text) }
                guard
                    FileManager.default.createFile(
                        atPath: output, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600])
                else {
                    throw CommandError(
                        code: "file_not_written", what: "\(output) could not be written.",
                        next: "Check the path, its rights and the disk.")
                }
                if !common.json { Output.note("\(lines.count) stored payments were written to \(output).") }
            }
        }
    }

    /// Writes the readable part of a stored payment.
    static func write(_ record: StoredRecord, to writer: inout JSONWriter) {
        writer.field("payment_id", record.payment.rawValue)
        writer.field("order_id", record.order.rawValue)
        writer.field("amount", record.amount.minorUnits)
        writer.field("currency", record.amount.currency.code)
        writer.field("stored_at", record.at.description)
        writer.field("expires_at", record.expires.description)
        writer.field("card_brand", record.card?.brand)
        writer.field("card_last_four", record.card?.lastFour)
        writer.field("reader", record.reader)
    }
}
