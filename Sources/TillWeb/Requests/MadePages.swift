import Synchronization

/// The pages that a feature makes of a file and a few marks, such as the banner of test mode. Each is made once, and
/// kept in the forms in which it is sent.
package final class MadePages: Sendable {
    /// The number of pages that are kept. There is one for each file and each set of marks; a mark that changes with
    /// the time would make more.
    package static let maximumPages = 32

    private let pages = Mutex<[String: PageAsset]>([:])

    package init() {}

    /// Returns the page of a key, which names its file and its marks.
    /// - Parameter bytes: The content of a page that is not kept yet.
    package func page(
        _ key: String, _ audience: PageAsset.Audience, _ bytes: @autoclosure () -> [UInt8]
    ) -> PageAsset {
        pages.withLock { pages in
            if let page = pages[key] { return page }
            if pages.count >= MadePages.maximumPages { pages.removeAll() }
            let content = bytes()
            let page = PageAsset.page(content, audience)
            pages[key] = page
            return page
        }
    }
}
