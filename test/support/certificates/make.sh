#!/usr/bin/env bash
# Makes the certificates of the tests anew: a private CA, a server on loopback, a client, and a client
# that no CA signed, for a hundred years. The keys protect nothing.
set -euo pipefail
cd "$(dirname "$0")"
days=36500
new_key() { openssl ecparam -genkey -name prime256v1 -noout -out "$1.key"; }
sign() { # name, subject, extensions
  new_key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$2" |
    openssl x509 -req -CA ca.crt -CAkey ca.key -days $days -out "$1.crt" -extfile <(echo "$3")
}
new_key ca
openssl req -x509 -new -key ca.key -days $days -subj '/CN=CA of the tests' -out ca.crt
sign server 127.0.0.1 'subjectAltName=IP:127.0.0.1,DNS:localhost'
sign client 'partner of the tests' 'extendedKeyUsage=clientAuth'
new_key self-signed
openssl req -x509 -new -key self-signed.key -days $days -subj '/CN=signed by no CA' -out self-signed.crt
rm -f ca.srl ca.key
