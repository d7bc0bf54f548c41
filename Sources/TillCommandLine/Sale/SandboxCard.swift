import ArgumentParser
import TillContactless
import TillCore
import TillStandInCard

/// `till sandbox card --vpcd 127.0.0.1:35963 --card visa`: a virtual card in the virtual reader of pcscd.
struct SandboxCardOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "For card: where pcscd's virtual reader listens (Debian: pcscd, vsmartcard-vpcd).", valueName: "host:port"))
    var vpcd = "127.0.0.1:35963"
    @Option(name: .long, help: ArgumentHelp("For card: which one: \(Tap.cardNames).", valueName: "card"))
    var card = "visa"
    @Option(
        name: .long,
        help: ArgumentHelp("For card: one that was torn away comes back after this; 0: never.", valueName: "ms"))
    var returnAfter: Int64 = 2000

    /// Presents the card until the process ends.
    func run(json: Bool) async throws {
        func fail(_ code: String, _ what: String, _ next: String) -> any Error {
            Output.fail(CommandError(code: code, what: what, next: next), json: json)
        }
        let parts = vpcd.split(separator: ":")
        guard parts.count == 2, let host = parts.first, let port = parts.last.flatMap({ Int($0) }),
            (1...65_535).contains(port)
        else {
            throw fail("invalid_setting", "--vpcd is \(vpcd) and must be a host and a port.", "Correct it.")
        }
        guard let found = VirtualCard.all.first(where: { $0.name == card }) else {
            throw fail("unknown_card", "There is no virtual card \(card).", "Use one of \(Tap.cardNames).")
        }
        let returnsAfter: Span? = returnAfter > 0 ? .milliseconds(min(returnAfter, 3_600_000)) : nil
        do {
            try await VirtualCardSlot(found, host: String(host), port: port, returnsAfter: returnsAfter).run { event in
                Output.line(json ? "{\"card\":\"\(event.rawValue)\"}" : "card \(event.rawValue)")
            }
        } catch {
            throw fail(
                "no_virtual_reader", "The virtual reader at \(vpcd) cannot be reached: \(error).",
                "Start pcscd, with vsmartcard-vpcd installed.")
        }
    }
}
