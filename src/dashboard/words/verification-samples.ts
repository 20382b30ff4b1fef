/** §5.6; docs/signing.md has the same, and spec/5.6-signing.test.ts runs them. */
export const verificationSamples: readonly { language: string; code: string }[] = [
  {
    language: 'Node',
    code: String.raw`import { createHmac, timingSafeEqual } from 'node:crypto';

/** @param {Buffer} body the raw body; an empty buffer if there was none */
export function isFromBelfry(secret, headers, body, now = Date.now() / 1000) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  const signature = headers['x-service-signature'] ?? '';
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 300) return false;
  const expected = createHmac('sha256', secret)
    .update(timestamp + '.')
    .update(body)
    .digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}`,
  },
  {
    language: 'Python',
    code: String.raw`import hashlib
import hmac
import time


def is_from_belfry(secret, headers, body, now=None):
    """headers: names in lower case; body: the raw bytes, b"" if there was none"""
    now = time.time() if now is None else now
    timestamp = headers.get("x-service-timestamp", "")
    signature = headers.get("x-service-signature", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if len(timestamp) > 15 or abs(now - int(timestamp)) > 300:
        return False
    signed = timestamp.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())`,
  },
  {
    language: 'Go',
    code: String.raw`package belfry

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// IsFromBelfry takes the raw body, as io.ReadAll(request.Body) gives it.
func IsFromBelfry(secret string, header http.Header, body []byte, now time.Time) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	given, err := hex.DecodeString(header.Get("X-Service-Signature"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hmac.Equal(given, mac.Sum(nil))
}`,
  },
  {
    language: 'PHP',
    code: String.raw`<?php
// $headers: array_change_key_case(getallheaders())
// $body: file_get_contents('php://input'), or in Laravel $request->getContent()
function isFromBelfry(string $secret, array $headers, string $body, ?int $now = null): bool
{
    $timestamp = $headers['x-service-timestamp'] ?? '';
    $signature = $headers['x-service-signature'] ?? '';
    if (!preg_match('/^\d{1,15}$/D', $timestamp)) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $timestamp) > 300) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', $timestamp . '.' . $body, $secret), $signature);
}`,
  },
  {
    language: 'Ruby',
    code: String.raw`require 'openssl'

# headers: names in lower case; in Rails request.headers takes 'x-service-timestamp' as it is
# body: request.body.read in Rack, request.raw_post in Rails
def from_belfry?(secret, headers, body, now = Time.now.to_i)
  timestamp = headers['x-service-timestamp'].to_s
  signature = headers['x-service-signature'].to_s
  return false unless timestamp.match?(/\A\d{1,15}\z/) && (now - timestamp.to_i).abs <= 300

  expected = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamp}.".b + body.b)
  OpenSSL.secure_compare(expected, signature)
end`,
  },
];
