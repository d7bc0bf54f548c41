import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing
import TillCore
import TillPrinting
import TillReceipts

/// A printer's port: it keeps what it gets and says nothing.
private final class SilentPrinter: Sendable {
    struct Heard {
        var connections = 0
        var bytes: [UInt8] = []
    }
    private let channel: any Channel
    let port: Int

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        let hear: @Sendable ([UInt8]?) -> Void
        init(_ hear: @escaping @Sendable ([UInt8]?) -> Void) { self.hear = hear }
        func channelActive(context: ChannelHandlerContext) { hear(nil) }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            hear(Array(unwrapInboundIn(data).readableBytesView))
        }
    }

    private final class Box: Sendable { let heard = Mutex(Heard()) }
    private let box: Box

    init() async throws {
        let box = Box()
        self.box = box
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Listener { more in
                            box.heard.withLock { heard in
                                if let more { heard.bytes += more } else { heard.connections += 1 }
                            }
                        })
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    var all: Heard { box.heard.withLock { $0 } }

    func close() async { try? await channel.close() }
}

private func content(total: Int64) -> ReceiptContent {
    func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: .eur) }
    return ReceiptContent(
        store: StoreDetails(name: "Shop"), locale: Locale(identifier: "en_US"), paymentID: PaymentID(rawValue: "pay_1"),
        orderNumber: "42", date: Timestamp(milliseconds: 0), verdict: .paid,
        lineItems: [
            ReceiptLineItem(name: "Coffee", amount: money(250)), ReceiptLineItem(name: "Cake", amount: money(1_000)),
        ], summary: [], total: money(total), transaction: ReceiptTransaction(.sale, .approved),
        captured: money(total), refunded: money(0))
}

@Suite("The seed's printReceipt(content:)")
struct PrintReceiptTests {
    @Test("what does not add up is refused before the printer is even connected", arguments: [1_249, 1_251, 0])
    func refused(_ total: Int64) async throws {
        let port = try await SilentPrinter()
        let printer = ReceiptPrinter(.socket(host: "127.0.0.1", port: port.port))
        await #expect(
            throws: ReceiptError.doesNotAddUp(
                expected: Money(minorUnits: total, currency: .eur), found: Money(minorUnits: 1_250, currency: .eur))
        ) { try await printer.printReceipt(content: content(total: total)) }
        let ipp = ReceiptPrinter(try PrinterAddress(parsing: "ipp://127.0.0.1:\(port.port)/ipp/print"))
        await #expect(throws: ReceiptError.self) { try await ipp.printReceipt(content: content(total: total)) }
        #expect(port.all.connections == 0)
        await port.close()
    }

    @Test("what adds up goes to it")
    func printed() async throws {
        let port = try await SilentPrinter()
        try await ReceiptPrinter(.socket(host: "127.0.0.1", port: port.port))
            .printReceipt(content: content(total: 1_250))
        // The last bytes may still be on their way.
        var tries = 0
        while !port.all.bytes.suffix(3).elementsEqual([0x1D, 0x56, 1]), tries < 1_000 {
            try await Task.sleep(for: .milliseconds(10))
            tries += 1
        }
        // On a busy machine the question about its state may have a connection of its own; the receipt comes once.
        let text = String(decoding: port.all.bytes, as: UTF8.self)
        #expect(text.contains("12.50") && text.ranges(of: "Coffee").count == 1)
        await port.close()
    }
}
