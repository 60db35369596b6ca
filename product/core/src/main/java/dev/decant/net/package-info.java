/**
 * Network input and output: transports, connections that cut a stream into frames, and acceptors. Everything belongs to
 * the owner of an {@link dev.decant.loop.EventLoop}.
 */
@NullMarked
package dev.decant.net;

import org.jspecify.annotations.NullMarked;
