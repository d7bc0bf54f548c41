import Foundation
package import HTTPTypes

extension HTTPRequest {
    /// Creates a POST request to a webhook address; fails if the text is not an address.
    package init?(posting type: String, to url: String) {
        guard let address = URLComponents(string: url), let host = address.host, let scheme = address.scheme else {
            return nil
        }
        self.init(
            method: .post, scheme: scheme, authority: address.port.map { "\(host):\($0)" } ?? host,
            path: (address.percentEncodedPath.isEmpty ? "/" : address.percentEncodedPath)
                + (address.percentEncodedQuery.map { "?" + $0 } ?? ""))
        headerFields[.contentType] = type
    }
}
