/** Apache's interfaces {@code Producer} and {@code Consumer} on Decant, with the behaviour of Apache's own classes. */
@NullMarked
package dev.decant.kafka.apache;

import org.jspecify.annotations.NullMarked;
