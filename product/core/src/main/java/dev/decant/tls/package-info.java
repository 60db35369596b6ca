/**
 * TLS for applications. {@link dev.decant.tls.TlsSettings} name keys, trusted certificates and requirements for the
 * peer. {@link dev.decant.tls.TlsContext} holds the keys that were read, and replaces them when files change. {@link
 * dev.decant.tls.TlsException} says why a connection failed.
 */
@NullMarked
package dev.decant.tls;

import org.jspecify.annotations.NullMarked;
