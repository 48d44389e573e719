"""The API over HTTP: whole lists of raw pages, or an error that says why not.

What a request goes through, one idea a module::

    request     an endpoint, an id and parameters, checked → path and query
    address     base URL, checked
    key         the API key: sent, never shown, never pickled
    service     address, key and limits, as a user gave them
    transport   one request over the wire → status, headers, body
    connections sockets that belong to one process
    bodies      the body, unpacked and bounded
    deadline    reading that ends in time
    unanswered  why there is no whole answer
    hints       Retry-After and X-RateLimit-* → seconds
    quota       what the hints say about the service's quota
    limiter     how many requests may be under way, and when
    answers     status and body → a page, or what is wrong with it
    matching    whether an answer belongs to its request
    retry       attempts until the answer is valid, or it is time to give up
    paging      pages → one list, proven complete
    workers     many lists at once, with one shared limit
    session     all of that, as one process has it
    client      the public class: `Client`
"""

from fleetkit.client.client import Client
from fleetkit.client.key import share

__all__ = ["Client", "share"]
