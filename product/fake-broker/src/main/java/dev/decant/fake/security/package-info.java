/** Logins of clients, and what they may do afterwards. Owner of the loop only. */
@NullMarked
package dev.decant.fake.security;

import org.jspecify.annotations.NullMarked;
