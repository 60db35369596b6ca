/** Where sessions keep their sequence numbers and sent messages. */
@NullMarked
package dev.decant.fix.store;

import org.jspecify.annotations.NullMarked;
