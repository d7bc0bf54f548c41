import ArgumentParser
import TillCheckout
import TillCore

/// `till failpoints`, for tests that kill the process.
struct Failpoints: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failpoints",
        abstract: "Lists the places at which a test may kill the process.", shouldDisplay: false)
    @Flag(name: .long, help: "Print one JSON object and nothing else.") var json = false

    func run() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("failpoints")
        writer.beginArray()
        for point in Failpoint.allCases {
            writer.beginObject()
            writer.field("number", point.rawValue)
            writer.field("name", "\(point)")
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        Output.line(
            json ? writer.text : Failpoint.allCases.map { "\($0.rawValue) \($0)" }.joined(separator: "\n"))
    }
}
