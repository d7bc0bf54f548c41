import TillCore
import TillStandInPrinter

extension Sandbox {
    /// Runs a simulated receipt printer: `till sandbox printer --port 9100`.
    func runPrinter(port: Int) async throws {
        let isJSON = json
        try await SandboxPrinterServer().run(port: port) { port, control in
            let (address, buttons) = ("socket://127.0.0.1:\(port)", "http://127.0.0.1:\(control)/_sandbox/printer")
            if isJSON {
                let value = JSONValue.object([
                    JSONMember(key: "printer", value: .string(address)),
                    JSONMember(key: "control", value: .string(buttons)),
                ])
                return Output.line(value.text)
            }
            Output.line("A receipt printer: \(address)")
            Output.line("Its paper and its buttons: \(buttons)")
            Output.line("Try: till printers test \(address)")
            Output.line("     curl \(buttons)")
            Output.line("     curl -d '{\"lines_left\":5}' \(buttons)")
        }
    }
}
