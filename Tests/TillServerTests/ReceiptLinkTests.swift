import Foundation
import Testing
import TillCore
import TillCounter

@Suite("Addresses under which a customer reads a receipt")
struct ReceiptLinkTests {
    private let payment = PaymentID(rawValue: "pay_01kaj3x5ay8q2r7v9c4d6e0fgh")
    private let end = Timestamp(milliseconds: 1_795_253_405_000)

    private func link() throws -> ReceiptLink {
        try ReceiptLink(
            besideJournal: FileManager.default.temporaryDirectory.path + "/links-\(UInt64.random(in: .min ... .max))")
    }

    @Test("is good until its end, to the second, and not one longer")
    func expiry() throws {
        let link = try link()
        let path = link.path(payment, expires: end)
        for before in [0, 1, 86_400_000, 7_776_000_000] as [Int64] {
            let now = Timestamp(milliseconds: end.milliseconds - 1 - before)
            #expect(try link.payment(path: path, now: now) == payment)
        }
        for after in [0, 1, 1_000, 86_400_000] as [Int64] {
            #expect(throws: ReceiptLinkError.expired) {
                try link.payment(path: path, now: Timestamp(milliseconds: end.milliseconds + after))
            }
        }
    }

    @Test("nothing in it can be changed: not the payment, not the end, not the signature, not the key")
    func forgery() throws {
        let link = try link()
        let path = link.path(payment, expires: end)
        let now = Timestamp(milliseconds: end.milliseconds - 1_000)
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let later = String(end.milliseconds / 1_000 + 86_400, radix: 36)
        var forged = [
            "/r/pay_01kaj3x5ay8q2r7v9c4d6e0fgg.\(parts[1]).\(parts[2])", "\(parts[0]).\(later).\(parts[2])",
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(path).x", path + "0", String(path.dropLast()),
            "/r/",
            "/r/..", path.uppercased(), "\(parts[0]).-1.\(parts[2])", try self.link().path(payment, expires: end),
        ]
        for index in path.indices where index >= path.index(path.startIndex, offsetBy: 3) {
            var changed = path
            changed.replaceSubrange(index...index, with: path[index] == "0" ? "1" : "0")
            forged.append(changed)
        }
        for one in forged {
            #expect(throws: ReceiptLinkError.invalid, "\(one)") { try link.payment(path: one, now: now) }
        }
    }
}
