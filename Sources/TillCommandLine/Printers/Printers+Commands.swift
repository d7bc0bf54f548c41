import ArgumentParser
import TillCore
import TillReceipts

extension Printers {
    /// Prints the bytes of each ESC/POS command, so that tests can compare them with other implementations.
    struct Commands: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "commands",
            abstract: "Lists the bytes of the ESC/POS commands that are written.", shouldDisplay: false)
        @Flag(name: .long, help: "Print one JSON object and nothing else.") var json = false

        func run() {
            let all = Commands.all.map { JSONMember(key: $0, value: .string(Hex.lowercase($1))) }
            Output.line(
                json
                    ? JSONValue.object(all).text
                    : Commands.all.map { "\($0): \(Hex.lowercase($1))" }.joined(separator: "\n"))
        }

        private static var all: [(String, [UInt8])] {
            var picture = MonochromeImage(width: 16, height: 3)
            for (x, y) in [(0, 0), (7, 0), (8, 1), (15, 2), (3, 2)] { picture?[x, y] = true }
            return [
                ("initialize", ESCPOSCommand.initialize), ("line", ESCPOSCommand.lineFeed),
                ("left", ESCPOSCommand.align(.left)), ("center", ESCPOSCommand.align(.center)),
                ("right", ESCPOSCommand.align(.right)), ("bold", ESCPOSCommand.bold(true)),
                ("not bold", ESCPOSCommand.bold(false)), ("feed 6", ESCPOSCommand.feed(6)),
                ("cut", ESCPOSCommand.cut(partial: false)), ("partial cut", ESCPOSCommand.cut(partial: true)),
                ("drawer 2", ESCPOSCommand.drawer(pin: 2)), ("drawer 5", ESCPOSCommand.drawer(pin: 5)),
                ("size 2x2", ESCPOSCommand.size(width: 2, height: 2)),
                ("size 1x2", ESCPOSCommand.size(width: 1, height: 2)),
                ("status 1", ESCPOSCommand.status(.printer)), ("status 4", ESCPOSCommand.status(.paper)),
                ("automatic status", ESCPOSCommand.automaticStatus(true)),
                ("no automatic status", ESCPOSCommand.automaticStatus(false)),
                ("picture", picture.map { ESCPOSCommand.raster($0) } ?? []),
                ("code", CodeText("https://shop.example/r/1").map { ESCPOSCommand.code($0, module: 6) } ?? []),
            ]
        }
    }
}
