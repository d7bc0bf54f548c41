import HTTPTypes
import Hummingbird
import NIOCore

/// The files that pages load. The simulator is not among them unless the counter is in the sandbox.
enum ApplePayAssets {
    static func response(_ name: String, isSandbox: Bool) -> Response? {
        switch name {
        case "client.js": return file(PackageResources.applepay_client_js, "text/javascript; charset=utf-8")
        case "client.css": return file(PackageResources.applepay_client_css, "text/css; charset=utf-8")
        case "openapi.yaml": return file(PackageResources.applepay_openapi_yaml, "application/yaml")
        case "icon.png": return file(PackageResources.applepay_icon_png, "image/png")
        case "simulator.js" where isSandbox:
            return file(PackageResources.applepay_simulator_js, "text/javascript; charset=utf-8")
        case "simulator.css" where isSandbox:
            return file(PackageResources.applepay_simulator_css, "text/css; charset=utf-8")
        default: return nil
        }
    }

    static func file(_ bytes: [UInt8], _ type: String) -> Response {
        var response = Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        // Pages of other, registered domains load these; they hold nothing of anybody.
        response.headers[Incoming.name("Cross-Origin-Resource-Policy")] = "cross-origin"
        return response
    }
}
