import ArgumentParser
import TillContactless
import TillCore

/// `till emv`: commands for chip card data.
struct EMV: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emv", abstract: "Explains the messages of cards and terminals.", subcommands: [Decode.self])

    /// `till emv decode`: decodes chip card data and explains it.
    struct Decode: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "decode",
            abstract: "Decodes data objects and explains them. Card numbers, tracks and names are masked.")
        @Flag(name: .long, help: "Print one JSON object and nothing else.")
        var json = false
        @Flag(name: .long, help: "Each line of standard input is a message of its own; one JSON object for each.")
        var eachLine = false
        @Argument(help: "The bytes in hexadecimal; spaces are passed over. - reads standard input.")
        var hex: [String] = []

        func run() async throws {
            if eachLine { return EMV.decodeEachLine() }
            let text = hex == ["-"] ? EMV.standardInput() : hex.joined(separator: " ")
            let lines: [ExplainedLine]
            var status: StatusWord?
            do {
                var bytes = try Hex.bytes(text)
                // A complete response of a card is accepted: the status word at its end is not part of the data.
                if let answer = ResponseAPDU(bytes: bytes), answer.status.rawValue == 0x9000, !answer.data.isEmpty,
                    DataObject.parse(ifValid: answer.data) != nil
                {
                    (bytes, status) = (answer.data, answer.status)
                }
                lines = try DataObject.parse(bytes).explained()
            } catch {
                throw Output.fail(
                    CommandError(code: "not_data_objects", what: "\(error)", next: "Check the bytes."), json: json)
            }
            let told = status.map { ["Status word: \($0)"] } ?? []
            Output.line(json ? EMV.json(lines, status) : (EMV.text(lines) + told).joined(separator: "\n"))
        }
    }

    /// Decodes messages until the end of input; reports an unreadable one in place.
    private static func decodeEachLine() {
        while let line = readLine() {
            guard line.utf8.count <= mostInput else {
                Output.line("{\"error\":\"the line is too long\"}")
                continue
            }
            do throws(TLVError) {
                Output.line(json(try DataObject.parse(try Hex.bytes(line)).explained()))
            } catch {
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("error", error.description)
                writer.endObject()
                Output.line(writer.text)
            }
        }
    }

    /// The maximum number of bytes read from standard input.
    private static let mostInput = 1 << 20

    private static func standardInput() -> String {
        var text = ""
        while let line = readLine(strippingNewline: false), text.utf8.count < mostInput { text += line }
        return text
    }

    /// Returns the lines for display, indented by depth.
    static func text(_ lines: [ExplainedLine], indent: Int = 0) -> [String] {
        lines.flatMap { line -> [String] in
            let space = String(repeating: "  ", count: line.depth + indent)
            var first = "\(space)\(line.tag) \(line.name ?? "not in the dictionary")"
            if let value = line.value { first += ": \(value.isEmpty ? "empty" : value)" }
            if let meaning = line.meaning { first += "  (\(meaning))" }
            return [first] + line.bits.map { "\(space)    - \($0)" }
        }
    }

    private static func json(_ lines: [ExplainedLine], _ status: StatusWord? = nil) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("objects")
        write(lines, to: &writer)
        if let status { writer.field("status", status.description) }
        writer.endObject()
        return writer.text
    }

    /// Writes the lines as an array of objects.
    static func write(_ lines: [ExplainedLine], to writer: inout JSONWriter) {
        writer.beginArray()
        for line in lines {
            writer.beginObject()
            writer.field("depth", line.depth)
            writer.field("tag", line.tag.description)
            writer.field("name", line.name)
            if let value = line.value { writer.field("value", value) }
            if let meaning = line.meaning { writer.field("meaning", meaning) }
            if !line.bits.isEmpty {
                writer.key("bits")
                writer.beginArray()
                for bit in line.bits { writer.string(bit) }
                writer.endArray()
            }
            writer.endObject()
        }
        writer.endArray()
    }
}
