/**
 * TLS 1.3 and 1.2 as a {@link dev.decant.net.Transport} over {@link javax.net.ssl.SSLEngine}, for clients and servers.
 *
 * <pre>
 * TlsContext context = TlsContext.load(settings);
 * TlsMemory memory = new TlsMemory(loop, pool);
 *
 * // client                                       // server, in Acceptor.Handler.onAccept
 * transport = TlsTransport.client(context,        transport = TlsTransport.server(context,
 *     SocketTransport.connect(address),               accepted,
 *     host, port, memory);                            peer, memory);
 * new Connection(loop, transport, framing, handler, frameMemory, maxFrameBytes).open();
 * </pre>
 */
@NullMarked
package dev.decant.net.tls;

import org.jspecify.annotations.NullMarked;
