/** Values, states and errors that all packages of the client use. {@code dev.decant.kafka.client} opens a client. */
@NullMarked
package dev.decant.kafka;

import org.jspecify.annotations.NullMarked;
