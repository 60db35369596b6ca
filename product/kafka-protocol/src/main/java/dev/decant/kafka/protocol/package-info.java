/** What requests and responses have in common: the APIs and their versions, the headers, the error codes. */
@NullMarked
package dev.decant.kafka.protocol;

import org.jspecify.annotations.NullMarked;
