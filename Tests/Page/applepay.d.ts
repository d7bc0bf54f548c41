// What browsers with Apple Pay have; the parts that the client uses.

interface Window {
  ApplePaySession?: any;
  ApplePayError?: any;
}
declare const ApplePaySession: any;
type ApplePaySession = any;
declare const ApplePayError: any;
