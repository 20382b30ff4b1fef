/** Code that verifies a signature (§5.6), for receivers to copy. Each sample reads the raw body. */
export const verificationSamples: readonly { language: string; code: string }[] = [
  {
    language: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

/** rawBody: the bytes as received, before any parsing. */
export function isFromBelfry(headers, rawBody, secret) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const expected = createHmac('sha256', secret).update(timestamp + '.').update(rawBody).digest();
  const given = Buffer.from(headers['x-service-signature'] ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}`,
  },
  {
    language: 'Python',
    code: `import hashlib, hmac, time

def is_from_belfry(headers, raw_body: bytes, secret: str) -> bool:
    timestamp = headers.get("X-Service-Timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256)
    return hmac.compare_digest(expected.hexdigest(), headers.get("X-Service-Signature", ""))`,
  },
  {
    language: 'PHP',
    code: `function isFromBelfry(string $rawBody, string $secret): bool {
    $timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) return false;
    $expected = hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
    return hash_equals($expected, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '');
}
// $rawBody = file_get_contents('php://input');`,
  },
  {
    language: 'Ruby',
    code: `require "openssl"

def from_belfry?(request, secret)
  timestamp = request.get_header("HTTP_X_SERVICE_TIMESTAMP").to_s
  return false if (Time.now.to_i - timestamp.to_i).abs > 300
  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.#{request.body.read}")
  OpenSSL.secure_compare(expected, request.get_header("HTTP_X_SERVICE_SIGNATURE").to_s)
end`,
  },
  {
    language: 'Go',
    code: `func isFromBelfry(r *http.Request, rawBody []byte, secret string) bool {
	timestamp := r.Header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	given, err := hex.DecodeString(r.Header.Get("X-Service-Signature"))
	return err == nil && hmac.Equal(given, mac.Sum(nil))
}`,
  },
];
