import Synchronization
import Testing
import TillWeb

@Suite("The files of pages")
struct PageAssetTests {
    private final class Content: Sendable {
        private let number = Mutex(0)
        var made: Int { number.withLock { $0 } }
        func bytes() -> [UInt8] {
            number.withLock { $0 += 1 }
            return [0x2F, 0x2F]
        }
    }

    @Test("are made when they are asked for")
    func made() {
        let content = Content()
        let assets: [PageAsset] = [
            .script(content.bytes()), .style(content.bytes(), .anyOrigin), .page(content.bytes(), .counter),
            PageAsset(bytes: content.bytes(), type: "text/plain", audience: .sandbox),
        ]
        #expect(content.made == 0)
        for asset in assets { #expect(asset.bytes == [0x2F, 0x2F]) }
        #expect(content.made == assets.count)
    }
}
