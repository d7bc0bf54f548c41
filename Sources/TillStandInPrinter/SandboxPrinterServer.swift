import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import TillCore
import TillStandInServing

/// A virtual receipt printer on two ports of this machine: one accepts ESC/POS like a printer's port 9100, the other
/// controls its buttons and its paper.
///
/// `GET /_sandbox/printer` returns the printed output; `POST /_sandbox/printer` with any of
/// `{"paper":"ok|low|end","lines_left":5,"cover":"open|closed","drawer":"open|closed","silent":true,
/// "real_time":false,"breaks_after":100}` changes its state.
public struct SandboxPrinterServer: Sendable {
    /// The maximum size of a control request, in bytes.
    static let maximumBody = 4_096
    /// The maximum number of concurrent connections.
    static let maximumConnections = 16

    public let printer: SandboxReceiptPrinter

    public init(printer: SandboxReceiptPrinter = SandboxReceiptPrinter()) { self.printer = printer }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    /// - Parameters:
    ///   - port: the data port; zero selects a free one.
    ///   - control: the control port; zero selects a free one.
    ///   - onReady: called with both ports.
    public func run(port: Int, control: Int = 0, onReady: @escaping @Sendable (Int, Int) async -> Void) async throws {
        let lines = PrinterLines()
        let printer = printer
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PrinterLine(printer, lines))
                }
            }.bind(host: "127.0.0.1", port: port).get()
        let taking = channel.localAddress?.port ?? port
        do {
            try await LoopbackServer.run(port: control) { actual in
                await onReady(taking, actual)
            } respond: { request in
                await respond(to: request, lines)
            }
        } catch {
            try? await channel.close()
            throw error
        }
        try? await channel.close()
    }

    private func respond(to request: Request, _ lines: PrinterLines) async -> Response {
        var request = request
        guard request.uri.path == "/_sandbox/printer" else { return Response(status: .notFound) }
        if request.method == .post {
            guard let body = await request.collectBody(ifWithin: SandboxPrinterServer.maximumBody),
                let wish = JSONValue(ifValid: Array(body.readableBytesView)), let change = change(wish)
            else { return Response(status: .badRequest) }
            let report = printer.change(change)
            lines.stateChanged(reporting: report)
        }
        var headers = HTTPFields()
        headers[.contentType] = "application/json"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: shown().text)))
    }

    /// Returns the requested change; `nil` if it contains anything unknown.
    private func change(_ wish: JSONValue) -> ((inout SandboxReceiptPrinter.Conditions) -> Void)? {
        let known = ["paper", "lines_left", "cover", "drawer", "silent", "real_time", "breaks_after"]
        guard case .object(let members) = wish, members.allSatisfy({ known.contains($0.key) }) else { return nil }
        let paper = wish["paper"].map { SandboxReceiptPrinter.Paper(rawValue: $0.stringValue ?? "") }
        if let paper, paper == nil { return nil }
        let numbers = ["lines_left", "breaks_after"].map { wish[$0]?.int64Value }
        return { conditions in
            if let paper = paper ?? nil { conditions.paper = paper }
            if wish["lines_left"] != nil { conditions.linesLeft = numbers[0].map { Int(clamping: $0) } }
            if wish["breaks_after"] != nil { conditions.breaksAfter = numbers[1].map { Int(clamping: $0) } }
            if let cover = wish["cover"]?.stringValue { conditions.isCoverOpen = cover == "open" }
            if let drawer = wish["drawer"]?.stringValue { conditions.isDrawerOpen = drawer == "open" }
            if let answers = wish["real_time"]?.boolValue { conditions.answersInRealTime = answers }
            if let silent = wish["silent"]?.boolValue { conditions.isSilent = silent }
        }
    }

    private func shown() -> JSONValue {
        let (output, now) = (printer.output, printer.conditions)
        return .object([
            JSONMember(key: "paper", value: .string(now.paper.rawValue)),
            JSONMember(key: "cover", value: .string(now.isCoverOpen ? "open" : "closed")),
            JSONMember(key: "drawer", value: .string(now.isDrawerOpen ? "open" : "closed")),
            JSONMember(key: "automatic", value: .bool(printer.reportsByItself)),
            JSONMember(key: "cuts", value: .number("\(output.cuts)")),
            JSONMember(key: "drawer_pulses", value: .number("\(output.drawerPulses)")),
            JSONMember(key: "unknown", value: .number("\(output.unknown)")),
            JSONMember(key: "received", value: .number("\(output.received)")),
            JSONMember(key: "lines", value: .array(output.lines.map { .string($0) })),
        ])
    }
}
