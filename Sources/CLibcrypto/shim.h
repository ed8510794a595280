// The few functions of OpenSSL's libcrypto that pawl calls.
//
// The SHA-256 functions below are called by their low-level names: the EVP layer
// first loads providers and a configuration file, which costs more than a whole
// `pawl check`. They are deprecated in name only; OPENSSL_SUPPRESS_DEPRECATED is
// the documented way to use them (openssl_user_macros(7)). Signatures go through
// EVP, since they are rare and Ed25519 is nowhere else.
#ifndef PAWL_CLIBCRYPTO_SHIM_H
#define PAWL_CLIBCRYPTO_SHIM_H

#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#endif
