/** Sockets of the brokers, connections of clients, and requests on their way through. Owner of the loop only. */
@NullMarked
package dev.decant.fake.net;

import org.jspecify.annotations.NullMarked;
