/** Sockets of the brokers, connections of clients, and exchanges of requests and responses. Owner of the loop only. */
@NullMarked
package dev.decant.fake.net;

import org.jspecify.annotations.NullMarked;
