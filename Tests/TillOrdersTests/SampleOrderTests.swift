import Foundation
import Testing
import TillCore
import TillOrders
import TillTestSupport

/// Real documents, kept beside the project and not in it.
private let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "../shared/data/orders")
    .standardizedFileURL

@Suite(
    "Sample orders",
    .enabled("the sample orders are not beside the project", { FileManager.default.fileExists(atPath: samples.path) }))
struct SampleOrderTests {
    @Test(
        "documents that add up sell at their total",
        arguments: [
            ("order-details-partially-refunded", 30_445, 2), ("order-fully-refunded", 22_371, 3),
            ("order-with-all-addon-types", 4_454, 0), ("order-with-charge", 3_330, 1),
        ] as [(String, Int64, Int)])
    func sells(name: String, cents: Int64, notices: Int) throws {
        let order = try Order(document: Data(contentsOf: samples.appending(path: "\(name).json")))
        #expect(order.total == Money(minorUnits: cents, currency: .usd))
        #expect(order.notices.count == notices, "\(order.notices)")
        #expect(order.rounding.isZero)
        #expect(try Order(json: order.jsonValue) == order)
        #expect(order.isWrittenAsItsValues)
    }

    @Test(
        "documents that do not add up are refused with the difference",
        arguments: [
            ("order", "258.50 USD"), ("order-with-special-character-currency", "258.50 AED"),
            ("order-with-line-item-attributes", "23.87 USD"),
        ])
    func refuses(name: String, difference: String) throws {
        let bytes = try Data(contentsOf: samples.appending(path: "\(name).json"))
        do {
            _ = try Order(document: bytes)
            Issue.record("it must throw")
        } catch { #expect("\(error)".contains("a difference of \(difference). No money moved."), "\(error)") }
    }
}
