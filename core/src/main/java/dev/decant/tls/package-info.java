/**
 * TLS as an application sets it: {@link dev.decant.tls.TlsSettings} say which keys, which trusted certificates and what
 * the peer is asked for, {@link dev.decant.tls.TlsContext} holds what was read of them and replaces it when files
 * change, {@link dev.decant.tls.TlsException} says why a connection failed.
 */
@NullMarked
package dev.decant.tls;

import org.jspecify.annotations.NullMarked;
